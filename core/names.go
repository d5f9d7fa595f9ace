package core

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameUses are what can be written after an "@" in a room, in lower case, with what each name stands for. Within a room
// a name should stand for one thing: the handle of a member, an alias, or a role.
type nameUses map[string]string

// What a name can stand for.
const (
	useHandle = "the name of an agent in this room"
	useAlias  = "an alias in this room"
	useRole   = "a role of this room"
)

// put notes a use of a name; the use it had already, if any, stays and is returned.
func (u nameUses) put(name, use string) (had string) {
	key := mentionKey(name)
	if had = u[key]; had == "" && key != "" {
		u[key] = use
	}
	return had
}

// names collects the names in use in a room but for the aliases of the members named.
func (r *Room) names(without map[string]string) nameUses {
	u := nameUses{}
	for _, m := range r.Members {
		u.put(m.Handle, useHandle)
	}
	for _, role := range r.Roles {
		u.put(role.Name, useRole)
	}
	for id, m := range r.Members {
		if _, skip := without[id]; !skip {
			u.put(m.Alias, useAlias)
		}
	}
	return u
}

var aliasForm = regexp.MustCompile(`\A[A-Za-z0-9._-]+\z`)

// addAlias notes the alias of a member with that handle, or tells why it cannot have it. Its own handle is no news.
func (u nameUses) addAlias(alias, handle string) error {
	if !aliasForm.MatchString(alias) {
		return &InvalidError{
			Field: "aliases", Reason: fmt.Sprintf("alias %.300q may hold letters, digits, '.', '_' and '-' only", alias),
		}
	}
	if err := checkCharacters("aliases", alias, MaxNameCharacters); err != nil {
		return err
	}
	if strings.EqualFold(alias, handle) {
		return nil
	}
	if had := u.put(alias, useAlias); had != "" {
		return &InvalidError{Field: "aliases", Reason: fmt.Sprintf("alias %q is taken: it is %s", alias, had)}
	}
	return nil
}

// addRole notes a role, or tells why there can be none of that name; field is what the caller called the name.
func (u nameUses) addRole(field, name string) error {
	switch {
	case strings.TrimSpace(withoutEmphasis(name)) == "":
		return &InvalidError{Field: field, Reason: "the name of a role must not be blank"}
	case strings.ContainsFunc(name, unmentionable):
		return &InvalidError{Field: field, Reason: "the name of a role must not contain white space or '@'"}
	}
	if err := checkCharacters(field, name, MaxNameCharacters); err != nil {
		return err
	}
	if had := u.put(name, useRole); had != "" {
		return &InvalidError{Field: field, Reason: fmt.Sprintf("the name %q is taken: it is %s", name, had)}
	}
	return nil
}

// mentionKey is what a mention compares: "@*ann*" speaks to ann, so "*ann*" is no name beside "ann", and neither is "ann,":
// its mention is a mention of ann too.
func mentionKey(name string) string {
	key := strings.ToLower(withoutEmphasis(name))
	if end := strings.IndexFunc(key, func(c rune) bool { return c >= utf8.RuneSelf || !isNameByte(byte(c)) }); end > 0 {
		return key[:end]
	}
	return key
}

// unmentionable tells that a character would end a mention, or begin another.
func unmentionable(c rune) bool { return c == '@' || unicode.IsSpace(c) || unicode.IsControl(c) }
