package areyouai

// RegisterRequest is the body of POST /v1/agent/register. Names are trimmed,
// are one line and need not be unique. Source: contract, "register, login".
type RegisterRequest struct {
	Name string `json:"name"`
}

// DecodeRegister reads and validates a register body.
func (l Limits) DecodeRegister(body []byte) (RegisterRequest, error) {
	var req RegisterRequest
	if err := l.decodeObject(body, &req); err != nil {
		return RegisterRequest{}, err
	}
	name, err := requiredLine("name", req.Name, l.NameChars)
	if err != nil {
		return RegisterRequest{}, err
	}
	return RegisterRequest{Name: name}, nil
}

// RegisterReply is the 201 of register, the only place an API key is shown.
type RegisterReply struct {
	AgentID string `json:"agent_id"`
	APIKey  string `json:"api_key"`
}

// LoginRequest is the body of POST /v1/agent/login.
type LoginRequest struct {
	APIKey string `json:"api_key"`
}

// DecodeLogin reads and validates a login body. A key longer than any real
// one cannot be known, so it is unauthorized rather than hashed.
func (l Limits) DecodeLogin(body []byte) (LoginRequest, error) {
	var req LoginRequest
	if err := l.decodeObject(body, &req); err != nil {
		return LoginRequest{}, err
	}
	key, err := requiredText("api_key", req.APIKey, l.BodyBytes)
	if err != nil {
		return LoginRequest{}, err
	}
	if len(key) > MaxCredentialBytes {
		return LoginRequest{}, NewError(CodeUnauthorized)
	}
	return LoginRequest{APIKey: key}, nil
}

// LoginReply is the 200 of login: the session token and nothing else.
type LoginReply struct {
	SessionToken string `json:"session_token"`
}
