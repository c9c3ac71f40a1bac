-- +goose Up
-- The roles and users of an account.

CREATE TABLE roles (
    tenant      text  NOT NULL,
    role_id     text  NOT NULL,
    role_type   text  NOT NULL, -- admin, bot
    name        text  NOT NULL,
    description text  NOT NULL,
    permissions jsonb NOT NULL, -- name to its values
    PRIMARY KEY (tenant, role_id)
);

CREATE TABLE users (
    tenant         text    NOT NULL,
    user_id        text    NOT NULL,
    username       text    NOT NULL,
    org_user_id    text    NOT NULL,
    is_developer   boolean NOT NULL,
    can_create_bot boolean NOT NULL,
    bot_roles      jsonb   NOT NULL, -- [{roleId, botId, groups}]
    admin_roles    jsonb   NOT NULL, -- [role id]
    PRIMARY KEY (tenant, user_id)
);

-- +goose Down
DROP TABLE users, roles;
