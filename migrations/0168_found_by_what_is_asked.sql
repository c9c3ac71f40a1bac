-- +goose Up
-- Each of these was read by a column that no index begins with, so that a question grew with the whole table.

-- A stream that forgets is asked by stream and key, also while the model is built again: then there is only the primary key.
ALTER TABLE person_streams DROP CONSTRAINT person_streams_pkey, ADD PRIMARY KEY (stream, key_id, tenant, person);
DROP INDEX person_streams_by_stream;
CREATE INDEX person_streams_of_person ON person_streams (tenant, person, stream, key_id);

-- A run's contacts are forgotten by their keys.
CREATE INDEX campaign_contacts_by_key ON campaign_contacts (tenant, instance_id, key_id);
-- What sessions keep grows old by when it was written.
CREATE INDEX memories_of_sessions ON memories (tenant, project_id, written_at) WHERE scope = 'session';
-- Whoever comes to a door by its id alone does not say whose it is.
CREATE INDEX channel_connections_by_id ON channel_connections (connection_id);
-- What is said back is asked for by its session, also before the session is noted as the one that took the message.
CREATE INDEX channel_deliveries_of_session ON channel_deliveries (tenant, session_id);
-- A contact was seen last when a session was linked last.
DROP INDEX sessions_of_contact;
CREATE INDEX sessions_of_contact ON sessions (tenant, contact_id, linked_at) WHERE contact_id <> '';

-- +goose Down
DROP INDEX sessions_of_contact;
CREATE INDEX sessions_of_contact ON sessions (tenant, contact_id) WHERE contact_id <> '';
DROP INDEX channel_deliveries_of_session;
DROP INDEX channel_connections_by_id;
DROP INDEX memories_of_sessions;
DROP INDEX campaign_contacts_by_key;
DROP INDEX person_streams_of_person;
CREATE INDEX person_streams_by_stream ON person_streams (stream);
ALTER TABLE person_streams DROP CONSTRAINT person_streams_pkey, ADD PRIMARY KEY (tenant, person, stream, key_id);
