package sqlitelog

// columns are what a record is read from, in the order [decoder.record] expects. Text comes as bytes, so that nothing
// converts it twice. A stream without a name must surface as damage, hence the outer join.
const columns = `e.position, s.name, e.version, e.kind, e.at,
	CAST(e.body AS BLOB), CAST(e.content AS BLOB), CAST(e.receipt AS BLOB), e.sum, e.content_sum
	FROM events e LEFT JOIN streams s ON s.id = e.stream`

// streamNumber finds a stream by its name, the first argument.
const streamNumber = `(SELECT id FROM streams WHERE name = ?1)`

// What readers ask.
const (
	queryHistory = `SELECT ` + columns + ` WHERE e.position > ?1 ORDER BY e.position LIMIT ?2`
	queryForward = `SELECT ` + columns + ` WHERE e.stream = ` + streamNumber + ` AND e.position > ?2
		ORDER BY e.position LIMIT ?3`
	queryBack = `SELECT ` + columns + ` WHERE e.stream = ` + streamNumber + ` AND e.position < ?2
		ORDER BY e.position DESC LIMIT ?3`
	queryLast = `SELECT max(position) FROM events WHERE stream = ` + streamNumber
)

// What the writer does.
const (
	queryBegin    = `BEGIN IMMEDIATE`
	queryCommit   = `COMMIT`
	queryRollback = `ROLLBACK`

	queryHead       = `SELECT max(position) FROM events`
	queryLastStream = `SELECT max(id) FROM streams`
	queryFindStream = `SELECT id, (SELECT max(position) FROM events WHERE stream = id) FROM streams WHERE name = ?1`
	queryAddStream  = `INSERT INTO streams (id, name) VALUES (?, ?)`
	// One row at a time: several in one statement were no faster when measured, since almost all of the time goes into
	// building the rows.
	queryAddEvent = `INSERT INTO events (position, stream, version, kind, at, body, content, receipt, sum, content_sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	queryErase = `UPDATE events SET content = NULL, receipt = NULL, content_sum = NULL
		WHERE stream = ` + streamNumber + ` AND position <= ?2 AND (content IS NOT NULL OR receipt IS NOT NULL)`
	queryEmptyWAL = `PRAGMA wal_checkpoint(TRUNCATE)`
)

// What the table meta keeps.
const (
	queryMeta    = `SELECT value FROM meta WHERE key = ?`
	querySetMeta = `INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value`
	// The header's version is part of the transaction as every other page is.
	queryFormatLives = `PRAGMA user_version = 2`
)
