-- What providers of models bear from all machines of a store together, and the calls that count against it: for as long as they are under
-- way, and for the minute in which they began. Times are seconds of the server's clock.

CREATE TABLE provider_limits (
  provider TEXT PRIMARY KEY,
  at_once BIGINT NOT NULL,
  per_minute BIGINT NOT NULL,
  paused_until DOUBLE PRECISION NOT NULL
);

CREATE TABLE provider_calls (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  begun DOUBLE PRECISION NOT NULL,
  until DOUBLE PRECISION NOT NULL
);

CREATE INDEX provider_calls_by_time ON provider_calls (provider, begun);
