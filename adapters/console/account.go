package console

import (
	"errors"
	"net/http"
	"time"

	"stele/core"
	"stele/internal/password"
)

// accountPage is what a person can change about signing in.
type accountPage struct {
	Keys []core.UserKey
	// Present is the id of the session that looks.
	Present string
	// Token is one that was just made, shown this once.
	Token         string
	Problem, Done string
	MinCharacters int
}

func (c *Console) showAccount(v *visit) error { return c.accountPage(v, accountPage{}) }

func (c *Console) accountPage(v *visit, page accountPage) error {
	page.Keys, page.Present, page.MinCharacters = c.node.UserKeys(v.user.ID), v.key.ID, password.MinCharacters
	status := http.StatusOK
	if page.Problem != "" {
		status = http.StatusBadRequest
	}
	return v.renderStatus(status, "account", page)
}

// changePassword asks for the present password, so that a browser left alone gives nobody the account.
func (c *Console) changePassword(v *visit) error {
	attempt, ok := c.gate.enter(v.address(), v.user.Name, false)
	if !ok {
		return c.accountPage(v, accountPage{Problem: tooManySignIns})
	}
	defer attempt.leave()
	if v.user.PasswordHash != "" && !password.Matches(v.user.PasswordHash, v.echo.FormValue("present")) {
		attempt.failed()
		return c.accountPage(v, accountPage{Problem: "That is not the present password."})
	}
	hash, err := password.Make(v.echo.FormValue("password"))
	if errors.Is(err, password.ErrTooShort) || errors.Is(err, password.ErrTooLong) {
		return c.accountPage(v, accountPage{Problem: "Not changed: " + err.Error() + "."})
	}
	if err != nil {
		return err
	}
	if err := c.node.SetPassword(v.ctx(), v.user.ID, hash, v.key.ID); err != nil {
		return err
	}
	return c.accountPage(v, accountPage{Done: "The password is changed, and every other browser is signed out."})
}

// tokenLives are how long a token of a person may live, by what the form calls it.
func tokenLives() map[string]time.Duration {
	return map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "month": 30 * 24 * time.Hour, "ever": 0}
}

func (c *Console) makeUserToken(v *visit) error {
	lives, ok := tokenLives()[v.field("lives")]
	if !ok {
		return &core.InvalidError{Field: "lives", Reason: "must be hour, day, month or ever"}
	}
	var until time.Time
	if lives > 0 {
		until = c.node.Now().Add(lives)
	}
	token, _, err := c.node.NewUserToken(v.ctx(), v.user.ID, v.field("label"), until)
	if err != nil {
		return err
	}
	return c.accountPage(v, accountPage{Token: token})
}

func (c *Console) revokeUserKey(v *visit) error {
	if err := c.node.RevokeUserKey(v.ctx(), v.user.ID, v.param("key")); err != nil {
		return err
	}
	return v.redirect(Prefix + "/account")
}
