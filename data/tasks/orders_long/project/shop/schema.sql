-- The tables of the order system. Three other programs read them.
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, address TEXT, since TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, state TEXT NOT NULL, placed TEXT NOT NULL);
CREATE TABLE comments (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, body TEXT NOT NULL, written TEXT NOT NULL);
CREATE TABLE mails (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, kind TEXT NOT NULL, sent TEXT);
-- end of the tables
