// Package jsonview looks into JSON as the conformance suites do: by path, by shape, and failing the test where something is
// not as it should be.
//
//	o := jsonview.Parse(t, body)
//	require.Equal(t, "ada", jsonview.Text(t, o, "rooms", 0, "name"))
//	jsonview.Shape(t, o, "rooms list, cursor int?")
//
// A value is what encoding/json makes of it: an [Object], a []any, a string, a float64, a bool or nil.
package jsonview
