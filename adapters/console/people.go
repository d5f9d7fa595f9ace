package console

import (
	"crypto/rand"
	"net/http"
	"strings"

	"stele/core"
	"stele/internal/password"
)

// peoplePage is everybody who can sign in, for administrators.
type peoplePage struct {
	People []personRow
	// Query is what was looked for; More tells how many were left out.
	Query string
	More  int
	// Name and Password are of somebody who was just made, or has a new password, shown this once.
	Name, Password string
	Problem        string
}

// personRow is one of them.
type personRow struct {
	core.User
	Sessions, Tokens int
	Self             bool
}

// personBytes is about what the page adds to the name of a person.
const personBytes = 1600

func (c *Console) showPeople(v *visit) error {
	return c.peoplePage(v, http.StatusOK, peoplePage{Query: v.query("q")})
}

func (c *Console) peoplePage(v *visit, status int, page peoplePage) error {
	wanted := strings.ToLower(page.Query)
	for _, u := range c.node.Users() {
		if !strings.Contains(strings.ToLower(u.Name), wanted) {
			continue
		}
		row := personRow{User: u, Self: u.ID == v.user.ID}
		for _, k := range c.node.UserKeys(u.ID) {
			if k.What == core.UserSession {
				row.Sessions++
			} else {
				row.Tokens++
			}
		}
		page.People = append(page.People, row)
	}
	// Each name stands in what is said of every button, and by it, as well.
	page.People, page.More = fitting(page.People, listBytes, personBytes, func(r personRow) string { return strings.Repeat(r.Name, 7) })
	return v.renderStatus(status, "people", page)
}

// refusedPeople shows the page with why something was not done.
func (c *Console) refusedPeople(v *visit, err error) error {
	f := statusOf(err)
	if f.status == http.StatusInternalServerError {
		return err
	}
	return c.peoplePage(v, f.status, peoplePage{Problem: "Not done: " + f.sentence(err)})
}

// madeUpPassword returns a password that nobody guesses, and its hash.
func (c *Console) madeUpPassword(v *visit) (shown, hash string, err error) {
	shown = rand.Text()
	err = c.gate.hash(v.ctx(), func() error {
		hash, err = password.Make(shown)
		return err
	})
	return shown, hash, err
}

func (c *Console) makePerson(v *visit) error {
	shown, hash, err := c.madeUpPassword(v)
	if err != nil {
		return err
	}
	name := v.field("name")
	if _, err := c.node.CreateUser(v.ctx(), core.NewUser{Name: name, PasswordHash: hash, Admin: v.field("admin") != ""}); err != nil {
		return c.refusedPeople(v, err)
	}
	return c.peoplePage(v, http.StatusOK, peoplePage{Name: name, Password: shown})
}

func (c *Console) resetPassword(v *visit) error {
	user, ok := c.node.User(v.param("user"))
	if !ok {
		return core.ErrNoUser
	}
	shown, hash, err := c.madeUpPassword(v)
	if err != nil {
		return err
	}
	if err := c.node.SetPassword(v.ctx(), user.ID, hash, v.key.ID); err != nil {
		return c.refusedPeople(v, err)
	}
	return c.peoplePage(v, http.StatusOK, peoplePage{Name: user.Name, Password: shown})
}

func (c *Console) changeAdmin(v *visit) error {
	if err := c.node.SetAdmin(v.ctx(), v.param("user"), v.field("admin") != ""); err != nil {
		return c.refusedPeople(v, err)
	}
	if user, _ := c.node.User(v.user.ID); !user.Admin {
		return v.redirect(Prefix)
	}
	return v.redirect(Prefix + "/people")
}

func (c *Console) deletePerson(v *visit) error {
	if err := c.node.DeleteUser(v.ctx(), v.param("user")); err != nil {
		return c.refusedPeople(v, err)
	}
	return v.redirect(Prefix + "/people")
}
