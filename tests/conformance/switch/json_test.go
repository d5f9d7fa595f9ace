package conformance

import "stele/tests/conformance/internal/jsonview"

type object = jsonview.Object

// The words in which the suite looks into answers.
var (
	parse  = jsonview.Parse
	at     = jsonview.At
	text   = jsonview.Text
	list   = jsonview.List
	column = jsonview.Column
	find   = jsonview.Find
	shape  = jsonview.Shape
)
