//go:build !linux

package sqlitelog

// birthOf is unknown here, so a copied file is only noticed by its head, or by [NewIdentity].
func birthOf(string) string { return "" }
