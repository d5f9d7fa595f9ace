package console

import (
	"net/http"
	"slices"

	"stele/core"
)

// tokensPage is the registration tokens that are the user's, or all for an administrator.
type tokensPage struct {
	Tokens []core.TokenInfo
	// More tells how many older ones are left out.
	More int
	// Owner is for whom a token was just made, Token what it is, shown this once.
	Owner, Token string
	Problem      string
}

func (c *Console) showTokens(v *visit) error { return c.tokensPage(v, http.StatusOK, tokensPage{}) }

func (c *Console) tokensPage(v *visit, status int, page tokensPage) error {
	for _, t := range c.node.RegistrationTokens() {
		if v.sees(t.Owner) {
			t.Owner = nameShort(t.Owner)
			page.Tokens = append(page.Tokens, t)
		}
	}
	slices.Reverse(page.Tokens)
	page.Tokens, page.More = fitting(page.Tokens, listBytes, tableRowBytes, func(t core.TokenInfo) string { return t.Owner })
	return v.renderStatus(status, "tokens", page)
}

// makeToken makes a registration token for the user, or for whomever an administrator names.
func (c *Console) makeToken(v *visit) error {
	owner := v.user.Name
	if asked := v.field("owner"); asked != "" {
		owner = asked
	}
	if !v.sees(owner) {
		return errAdminsOnly
	}
	token, err := c.node.NewRegistrationToken(v.ctx(), owner)
	if err != nil {
		f := statusOf(err)
		if f.status == http.StatusInternalServerError {
			return err
		}
		return c.tokensPage(v, f.status, tokensPage{Problem: "Not done: " + f.sentence(err)})
	}
	return c.tokensPage(v, http.StatusOK, tokensPage{Owner: owner, Token: token})
}

func (c *Console) revokeToken(v *visit) error {
	for _, t := range c.node.RegistrationTokens() {
		if t.ID == v.param("token") && v.sees(t.Owner) {
			if err := c.node.RevokeTokens(v.ctx(), t.ID); err != nil {
				return err
			}
			return v.redirect(Prefix + "/tokens")
		}
	}
	return core.ErrNoToken
}
