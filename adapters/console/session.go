package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"stele/core"
	"stele/internal/password"
)

// sessionCookie holds the secret of a session. Its path keeps it from the doors of agents.
const sessionCookie = "stele_session"

// sessionOf is the secret that a request proves itself with: the cookie's, or a program's token.
func sessionOf(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setSession puts a session into the browser until a time. No script can read it, and no request that another site causes
// carries it (CWE-352).
func (v *visit) setSession(secret string, until time.Time) {
	v.echo.SetCookie(&http.Cookie{
		Name: sessionCookie, Value: secret, Path: Prefix, Expires: until, HttpOnly: true, Secure: v.secure(),
		SameSite: http.SameSiteStrictMode,
	})
}

// signInPage is what the sign-in page shows.
type signInPage struct {
	// Next is the page to go on to, Name what was typed, Problem why it did not work.
	Next, Name, Problem string
}

func (v *visit) sendToSignIn() error {
	r := v.request()
	switch {
	case v.scripted():
		// A page's own script would take the page behind a redirect for success.
		return v.echo.String(http.StatusUnauthorized, "You are not signed in any more; nothing was done.")
	case r.Method != http.MethodGet:
		return v.redirect(Prefix + "/sign-in")
	case v.listens():
		return v.over()
	}
	return v.redirect(Prefix + "/sign-in?next=" + url.QueryEscape(r.URL.RequestURI()))
}

func (c *Console) showSignIn(v *visit) error {
	if v.user.ID != "" {
		return v.redirect(ownPage(v.query("next")))
	}
	return v.render("sign-in", signInPage{Next: ownPage(v.query("next"))})
}

// signIn takes a name with a password, or a token alone.
func (c *Console) signIn(v *visit) error {
	page := signInPage{Next: ownPage(v.field("next")), Name: v.field("name")}
	user, limit, err := c.recognise(v, page.Name)
	var secret string
	var key core.UserKey
	if err == nil {
		ctx := core.WithActor(v.request().Context(), "user "+user.Name)
		secret, key, err = c.node.OpenUserSession(ctx, user.ID, labelOf(v.request()), limit)
	}
	if err != nil {
		f := statusOf(err)
		if f.status == http.StatusInternalServerError {
			return err
		}
		page.Problem = f.sentence(err)
		return v.renderStatus(f.status, "sign-in", page)
	}
	v.setSession(secret, key.Until)
	return v.redirect(page.Next)
}

// recognise finds who signs in, and when what it did so with ends. Errors: [errWrongSignIn], [errTooManySignIns].
func (c *Console) recognise(v *visit, name string) (core.User, time.Time, error) {
	if token := v.field("token"); token != "" {
		return c.recogniseToken(v, token)
	}
	attempt, err := c.gate.enterWithPassword(v.ctx(), v.address(), name)
	if err != nil {
		return core.User{}, time.Time{}, err
	}
	defer attempt.leave()
	user, _ := c.node.UserByName(name)
	// Also for a name that is nobody's, so that the time does not tell.
	if !password.Matches(user.PasswordHash, v.typed("password")) {
		attempt.failed()
		return core.User{}, time.Time{}, errWrongSignIn
	}
	return user, time.Time{}, nil
}

// recogniseToken lets a right token in whatever others have tried: behind a proxy all share an address, and nobody guesses one.
func (c *Console) recogniseToken(v *visit, token string) (core.User, time.Time, error) {
	if user, key, ok := c.node.AuthenticateUser(token); ok {
		return user, key.Until, nil
	}
	attempt, err := c.gate.enterWithToken(v.ctx(), v.address())
	if err != nil {
		return core.User{}, time.Time{}, err
	}
	defer attempt.leave()
	attempt.failed()
	return core.User{}, time.Time{}, errWrongSignIn
}

func (c *Console) signOut(v *visit) error {
	if v.key.What == core.UserSession {
		if err := c.node.RevokeUserKey(v.ctx(), v.user.ID, v.key.ID); err != nil {
			return err
		}
	}
	v.setSession("", time.Unix(0, 0))
	return v.redirect(Prefix + "/sign-in")
}

// ownPage keeps a path that is a page of the console, so that nobody is sent elsewhere after signing in (CWE-601).
func ownPage(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || strings.Contains(path, `\`) ||
		u.Path != Prefix && !strings.HasPrefix(u.Path, Prefix+"/") || strings.Contains(u.Path, "..") {
		return Prefix
	}
	return path
}
