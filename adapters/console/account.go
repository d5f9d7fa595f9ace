package console

import (
	"net/http"
	"slices"
	"time"

	"stele/core"
	"stele/internal/password"
)

// accountPage is what a person can change about signing in.
type accountPage struct {
	Keys []core.UserKey
	// More tells how many older ones are left out.
	More int
	// Present is the id of the session that looks.
	Present string
	// Token is one that was just made, shown this once.
	Token         string
	Problem, Done string
	MinCharacters int
	status        int
}

func (c *Console) showAccount(v *visit) error {
	return c.accountPage(v, accountPage{status: http.StatusOK})
}

func (c *Console) accountPage(v *visit, page accountPage) error {
	// What the request has changed is seen on its own page.
	v.user, _ = c.node.User(v.user.ID)
	page.Present, page.MinCharacters = v.key.ID, password.MinCharacters
	keys := c.node.UserKeys(v.user.ID)
	slices.Reverse(keys)
	// The one that looks comes first, whatever others there are.
	slices.SortStableFunc(keys, func(a, b core.UserKey) int { return present(b, v.key) - present(a, v.key) })
	page.Keys, page.More = fitting(keys, listBytes, tableRowBytes, func(k core.UserKey) string { return k.Label + k.Label })
	return v.renderStatus(page.status, "account", page)
}

// present is 1 for the key that looks, and 0 for others.
func present(k, looks core.UserKey) int {
	if k.ID == looks.ID {
		return 1
	}
	return 0
}

// refusedAccount shows the page with why something was not done.
func (c *Console) refusedAccount(v *visit, err error) error {
	f := statusOf(err)
	if f.status == http.StatusInternalServerError {
		return err
	}
	return c.accountPage(v, accountPage{status: f.status, Problem: "Not done: " + f.sentence(err)})
}

// changePassword asks for the present password, so that a browser left alone gives nobody the account.
func (c *Console) changePassword(v *visit) error {
	hash, err := c.newPassword(v)
	if err == nil {
		err = c.node.SetPassword(v.ctx(), v.user.ID, hash, v.key.ID)
	}
	if err != nil {
		return c.refusedAccount(v, err)
	}
	return c.accountPage(v, accountPage{status: http.StatusOK, Done: "The password is changed, and every other browser is signed out."})
}

// newPassword hashes the one that was asked for, if the present one is right.
func (c *Console) newPassword(v *visit) (string, error) {
	attempt, err := c.gate.enterWithPassword(v.ctx(), v.address(), v.user.Name)
	if err != nil {
		return "", err
	}
	defer attempt.leave()
	if v.user.PasswordHash != "" && !password.Matches(v.user.PasswordHash, v.typed("present")) {
		attempt.failed()
		return "", errWrongPassword
	}
	return password.Make(v.typed("password"))
}

// tokenLives are how long a token of a person may live, by what the form calls it.
func tokenLives() map[string]time.Duration {
	return map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "month": 30 * 24 * time.Hour, "ever": 0}
}

func (c *Console) makeUserToken(v *visit) error {
	lives, ok := tokenLives()[v.field("lives")]
	if !ok {
		return c.refusedAccount(v, &core.InvalidError{Field: "lives", Reason: "must be hour, day, month or ever"})
	}
	var until time.Time
	if lives > 0 {
		until = c.node.Now().Add(lives)
	}
	token, _, err := c.node.NewUserToken(v.ctx(), v.user.ID, v.field("label"), until)
	if err != nil {
		return c.refusedAccount(v, err)
	}
	return c.accountPage(v, accountPage{status: http.StatusOK, Token: token})
}

func (c *Console) revokeUserKey(v *visit) error {
	if err := c.node.RevokeUserKey(v.ctx(), v.user.ID, v.param("key")); err != nil {
		return err
	}
	return v.redirect(Prefix + "/account")
}
