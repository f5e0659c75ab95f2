-- Five made-up papers on visits of insects to flowers, as a model extracted them and a person reviewed them.
-- Written for this project; data/README.md counts it by hand. `sqlite3 reviews.sqlite < reviews.sql` makes the database.
CREATE TABLE documents (
  document_id INTEGER PRIMARY KEY,
  file_name TEXT NOT NULL,
  reviewed_at TEXT
);
CREATE TABLE records (
  id TEXT PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (document_id),
  record_id TEXT NOT NULL,
  plant TEXT,
  visitor TEXT,
  day TEXT,
  place TEXT,
  count INTEGER,
  note TEXT,
  extraction_timestamp TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  fields_changed_count INTEGER DEFAULT 0,
  deleted_by_user TEXT,
  added_by_user INTEGER DEFAULT 0
);
CREATE TABLE record_edits (
  id TEXT PRIMARY KEY,
  record_id TEXT NOT NULL REFERENCES records (id),
  column_name TEXT NOT NULL,
  original_value TEXT,
  edited_at TEXT NOT NULL
);

INSERT INTO documents VALUES (1, 'meadow.pdf', '2026-05-02 09:00:00');
INSERT INTO documents VALUES (2, 'orchard.pdf', '2026-05-02 10:00:00');
INSERT INTO documents VALUES (3, 'roadside.pdf', '2026-05-03 09:00:00');
INSERT INTO documents VALUES (4, 'garden.pdf', NULL);
INSERT INTO documents VALUES (5, 'review.pdf', '2026-05-03 11:00:00');

INSERT INTO records VALUES ('r1', 1, 'm1', 'Salvia pratensis', 'Bombus pascuorum', '2025-06-03', 'Lower meadow', 4, NULL, '2026-05-01', 'p1', 0, NULL, 0);
INSERT INTO records VALUES ('r2', 1, 'm2', 'Trifolium repens', 'Apis mellifera', '2025-06-04', 'Lower meadow', 21, 'in full sun', '2026-05-01', 'p1', 2, NULL, 0);
INSERT INTO records VALUES ('r3', 1, 'm3', 'Lotus corniculatus', 'Megachile ericetorum', '2025-06-04', 'Upper meadow', 1, 'one female', '2026-05-01', 'p1', 2, NULL, NULL);
INSERT INTO records VALUES ('h1', 1, 'm4', 'Salvia pratensis', 'Anthidium manicatum', '2025-06-04', 'Upper meadow', 2, NULL, '2026-05-02', 'p1', 0, NULL, 1);
INSERT INTO records VALUES ('r4', 2, 'o1', 'Malus domestica', 'Osmia cornuta', '2025-04-20', 'Row 3', 9, NULL, '2026-05-01', 'p1', 0, NULL, 0);
INSERT INTO records VALUES ('r5', 2, 'o2', 'Pyrus communis', 'Osmia bicornis', '2025-04-20', 'Row 5', 3, NULL, '2026-05-01', 'p1', 1, '2026-05-02 10:00:00', 0);
INSERT INTO records VALUES ('r6', 2, 'o3', 'Prunus avium', 'Andrena fulva', '2025-04-21', '', 12, NULL, '2026-05-01', 'p1', 2, NULL, 0);
INSERT INTO records VALUES ('h2', 2, 'o4', 'Prunus avium', 'Bombylius major', '2025-04-21', 'Row 7', 1, NULL, '2026-05-02', 'p1', 1, NULL, 1);
INSERT INTO records VALUES ('r7', 3, 's1', 'Echium vulgare', 'Bombus terrestris', '2025-07-11', 'Verge', 6, NULL, '2026-05-01', 'p1', 2, NULL, 0);
INSERT INTO records VALUES ('h3', 3, 's2', 'Echium vulgare', 'Osmia adunca', '2025-07-11', 'Verge', 2, NULL, '2026-05-03', 'p1', 0, '2026-05-03 09:30:00', 1);
INSERT INTO records VALUES ('r8', 4, 'g1', 'Lavandula angustifolia', 'Anthophora plumipes', '2025-06-30', 'Bed 1', 5, NULL, '2026-05-01', 'p1', 1, NULL, 0);

INSERT INTO record_edits VALUES ('e01', 'r1', 'record_id', 'm01', '2026-05-02 09:00:00');
INSERT INTO record_edits VALUES ('e02', 'r2', 'day', '2025-04-06', '2026-05-02 09:00:00');
INSERT INTO record_edits VALUES ('e03', 'r2', 'day', '2025-06-14', '2026-05-02 09:20:00');
INSERT INTO record_edits VALUES ('e04', 'r3', 'note', 'one female', '2026-05-02 09:00:00');
INSERT INTO record_edits VALUES ('e05', 'r3', 'note', 'one male', '2026-05-02 09:20:00');
INSERT INTO record_edits VALUES ('e06', 'r5', 'plant', 'Pirus communis', '2026-05-02 09:50:00');
INSERT INTO record_edits VALUES ('e07', 'r6', 'place', 'Row 6', '2026-05-02 10:00:00');
INSERT INTO record_edits VALUES ('e08', 'r6', 'count', NULL, '2026-05-02 10:00:00');
INSERT INTO record_edits VALUES ('e09', 'h2', 'count', '2', '2026-05-02 10:10:00');
INSERT INTO record_edits VALUES ('e10', 'r7', 'visitor', 'Bombus terestris', '2026-05-03 09:00:00');
INSERT INTO record_edits VALUES ('e11', 'r7', 'note', '', '2026-05-03 09:00:00');
INSERT INTO record_edits VALUES ('e12', 'r8', 'place', 'Bed', '2026-05-03 09:00:00');
