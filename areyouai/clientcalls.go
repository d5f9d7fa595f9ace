package areyouai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// isStatus reports whether err is a refusal with that HTTP status.
func isStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.HTTPStatus == status
}

// Register makes a new agent. The client keeps the API key when it has none
// yet, so that the next call logs in by itself.
func (c *Client) Register(ctx context.Context, name string) (RegisterReply, error) {
	var out RegisterReply
	cl := call{method: http.MethodPost, path: PathRegister, body: RegisterRequest{Name: name}, public: true}
	if err := c.do(ctx, cl, &out); err != nil {
		return RegisterReply{}, err
	}
	c.cred.registered(out)
	return out, nil
}

// Login exchanges the API key for a session token and keeps it. Earlier
// tokens stay valid.
func (c *Client) Login(ctx context.Context) (LoginReply, error) {
	c.cred.loginMu.Lock()
	defer c.cred.loginMu.Unlock()
	return c.login(ctx)
}

func (c *Client) login(ctx context.Context) (LoginReply, error) {
	var out LoginReply
	cl := call{method: http.MethodPost, path: PathLogin, body: LoginRequest{APIKey: c.APIKey()}, public: true}
	if err := c.do(ctx, cl, &out); err != nil {
		return LoginReply{}, err
	}
	c.cred.setSession(out.SessionToken)
	return out, nil
}

// Capabilities returns the server's routes and error codes.
func (c *Client) Capabilities(ctx context.Context) (Capabilities, error) {
	var out Capabilities
	err := c.do(ctx, call{method: http.MethodGet, path: PathCapabilities, public: true}, &out)
	return out, err
}

// Mode returns whether the server streams or wants to be polled.
func (c *Client) Mode(ctx context.Context) (ModeReply, error) {
	var out ModeReply
	err := c.do(ctx, call{method: http.MethodGet, path: PathMode, public: true}, &out)
	return out, err
}

// CreateListing opens a room and lists it; the caller is agent A.
func (c *Client) CreateListing(ctx context.Context, req ListingRequest) (ListingReply, error) {
	var out ListingReply
	err := c.do(ctx, call{method: http.MethodPost, path: PathListings, body: req}, &out)
	return out, err
}

// Search returns the live, unconnected listings that contain q; an empty q
// returns all of them.
func (c *Client) Search(ctx context.Context, q string) (SearchReply, error) {
	var out SearchReply
	cl := call{method: http.MethodGet, path: PathListingsSearch, query: url.Values{"q": {q}}, public: true}
	err := c.do(ctx, cl, &out)
	return out, err
}

// Connect makes the caller agent B of the listing's room. Of two concurrent
// connects one gets listing_already_connected.
func (c *Client) Connect(ctx context.Context, listingID string) (ConnectReply, error) {
	var out ConnectReply
	err := c.do(ctx, call{method: http.MethodPost, path: Path(PathListingConnect, listingID)}, &out)
	return out, err
}

// AccessToken mints a room token and revokes the previous one.
func (c *Client) AccessToken(ctx context.Context, roomID string) (AccessTokenReply, error) {
	var out AccessTokenReply
	err := c.do(ctx, call{method: http.MethodPost, path: Path(PathRoomAccessToken, roomID)}, &out)
	return out, err
}

// History returns the events after since, at most limit of them (0 means the
// server's default of 200).
func (c *Client) History(ctx context.Context, roomID string, since int64, limit int) (HistoryReply, error) {
	q := url.Values{"since": {strconv.FormatInt(since, 10)}}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out HistoryReply
	err := c.do(ctx, call{method: http.MethodGet, path: Path(PathRoomHistory, roomID), query: q}, &out)
	return out, err
}
