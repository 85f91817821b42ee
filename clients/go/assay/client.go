// Package assay asks questions of an Assay mesh: the generated stubs with identity, deadlines, repeated
// calls, errors with stable reasons, and what takes more than one call.
package assay

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	gatewayv1 "assay.internal/gen/assay/gateway/v1"
)

const (
	secure          = "https://"
	localUser       = "local"
	maxMessageBytes = 4 << 20
)

// Options say who calls and how patiently. The zero value suits a mesh on this machine.
type Options struct {
	// Token is an API key or a signed token; it says who calls.
	Token string
	// User is who asks where there is no token; "local" when empty, as whom the command assay asks too.
	User string
	// AuthorityFile is a PEM file of the authority that signed the server's certificate; empty for those the
	// system knows.
	AuthorityFile string
	// Deadline bounds a call with one answer, with its repetitions, where the context has none; one minute
	// when zero.
	Deadline time.Duration
	// RetryDelays are the pauses before a call or a stream is made again while nobody serves; together 19
	// seconds when nil, longer than a gateway takes to be started again. An empty slice repeats nothing.
	RetryDelays []time.Duration
}

// Client is a connection to a mesh. Its stubs make every call of the contracts; their errors are *Error.
type Client struct {
	Jobs          gatewayv1.JobServiceClient
	Sessions      gatewayv1.SessionServiceClient
	Files         gatewayv1.FileServiceClient
	Artifacts     gatewayv1.ArtifactServiceClient
	Audit         gatewayv1.AuditServiceClient
	Conversations gatewayv1.ConversationServiceClient
	Sources       gatewayv1.SourceServiceClient
	Domains       gatewayv1.DomainServiceClient
	Catalogue     gatewayv1.CatalogueServiceClient
	Tokens        gatewayv1.TokenServiceClient

	connection *grpc.ClientConn
	options    Options
}

var standardDelays = []time.Duration{
	50 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second,
	3 * time.Second, 4 * time.Second, 4 * time.Second, 4 * time.Second,
}

// Dial makes a client of the gateway at target: host:port, or https://host:port for TLS. The connection is
// made by the first call.
func Dial(target string, options Options) (*Client, error) {
	if options.Deadline == 0 {
		options.Deadline = time.Minute
	}
	if options.RetryDelays == nil {
		options.RetryDelays = standardDelays
	}
	if options.User == "" && options.Token == "" {
		options.User = localUser
	}
	transport := insecure.NewCredentials()
	if strings.HasPrefix(target, secure) {
		target = strings.TrimPrefix(target, secure)
		trusted, err := authorities(options.AuthorityFile)
		if err != nil {
			return nil, err
		}
		transport = credentials.NewTLS(&tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12})
	}
	caller := calling{options}
	// A peer that comes back is found within half a second, however long it was away.
	quick := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond}
	connection, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(transport),
		grpc.WithUnaryInterceptor(caller.unary),
		grpc.WithStreamInterceptor(caller.stream),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: 5 * time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 20 * time.Second}),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)),
	)
	if err != nil {
		return nil, fmt.Errorf("assay: %s is no address of a gateway: %w", target, err)
	}
	return &Client{
		Jobs:          gatewayv1.NewJobServiceClient(connection),
		Sessions:      gatewayv1.NewSessionServiceClient(connection),
		Files:         gatewayv1.NewFileServiceClient(connection),
		Artifacts:     gatewayv1.NewArtifactServiceClient(connection),
		Audit:         gatewayv1.NewAuditServiceClient(connection),
		Conversations: gatewayv1.NewConversationServiceClient(connection),
		Sources:       gatewayv1.NewSourceServiceClient(connection),
		Domains:       gatewayv1.NewDomainServiceClient(connection),
		Catalogue:     gatewayv1.NewCatalogueServiceClient(connection),
		Tokens:        gatewayv1.NewTokenServiceClient(connection),
		connection:    connection,
		options:       options,
	}, nil
}

// Close ends the connection and whatever still runs on it.
func (c *Client) Close() error { return c.connection.Close() }

// NewID is a fresh id as requests want it: whoever repeats a request with its id makes nothing twice.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails; see crypto/rand
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return hex.EncodeToString(id[:])
}

func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil // those of the system
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("assay: the authority's certificate cannot be read: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("assay: %s holds no certificate in PEM", file)
	}
	return pool, nil
}

// pause waits for the delay, or less where the context ends before.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return asError(ctx.Err())
	case <-timer.C:
		return nil
	}
}
