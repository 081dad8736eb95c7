import { operation } from "./operation.ts";

export const token = {
	list: operation({
		method: "GET",
		path: "/tokens",
		summary: "List your tokens, or everyone's as an administrator; never the tokens themselves",
		permission: "token:manage",
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/tokens",
		summary: "Create a token with scopes and an expiry; it is returned once",
		permission: "token:manage",
		status: 201,
		procedure: "mutation",
	}),
	revoke: operation({
		method: "DELETE",
		path: "/tokens/{id}",
		summary: "Revoke a token; it stops working within 5 seconds",
		permission: "token:manage",
		procedure: "mutation",
	}),
};

export const team = {
	list: operation({
		method: "GET",
		path: "/teams",
		summary: "List your teams, or all teams for roles that see all, with cost centers",
		permission: "job:read",
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/teams",
		summary: "Create a team",
		permission: "account:manage",
		status: 201,
		procedure: "mutation",
	}),
	update: operation({
		method: "PATCH",
		path: "/teams/{name}",
		summary: "Rename a team (its title), or change its cost center or parent",
		permission: "account:manage",
		procedure: "mutation",
	}),
	delete: operation({
		method: "DELETE",
		path: "/teams/{name}",
		summary: "Delete a team without members, sub-teams, jobs and charges",
		permission: "account:manage",
		procedure: "mutation",
	}),
};

export const account = {
	update: operation({
		method: "PATCH",
		path: "/accounts/{id}",
		summary: "Change name, role and teams of an account",
		permission: "account:manage",
		procedure: "mutation",
	}),
	list: operation({
		method: "GET",
		path: "/accounts",
		summary: "List accounts with their identities, and sign-ins that wait for approval",
		permission: "account:manage",
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/accounts",
		summary: "Create a person with an invitation of 7 days, or a service account",
		permission: "account:manage",
		status: 201,
		procedure: "mutation",
	}),
	invite: operation({
		method: "POST",
		path: "/accounts/{id}/invite",
		summary: "Let the next sign-in with the account's verified address be linked, for 7 days",
		permission: "account:manage",
		procedure: "mutation",
	}),
	disable: operation({
		method: "POST",
		path: "/accounts/{id}/disable",
		summary: "Disable an account; its sessions and tokens end",
		permission: "account:manage",
		procedure: "mutation",
	}),
	enable: operation({
		method: "POST",
		path: "/accounts/{id}/enable",
		summary: "Enable a disabled account",
		permission: "account:manage",
		procedure: "mutation",
	}),
	linkIdentity: operation({
		method: "POST",
		path: "/identities/{id}/link",
		summary: "Approve a waiting sign-in: link it to the account with its address",
		permission: "account:manage",
		procedure: "mutation",
	}),
	rejectIdentity: operation({
		method: "POST",
		path: "/identities/{id}/reject",
		summary: "Reject a waiting sign-in",
		permission: "account:manage",
		procedure: "mutation",
	}),
};

export const setup = {
	get: operation({
		method: "GET",
		path: "/setup",
		summary: "Read which set-up steps are done, skipped or open",
		permission: "account:manage",
		procedure: "query",
	}),
	company: operation({
		method: "PUT",
		path: "/setup/company",
		summary: "Save the company's time zone, before the first charge",
		permission: "account:manage",
		procedure: "mutation",
	}),
	skip: operation({
		method: "POST",
		path: "/setup/skip",
		summary: "Skip a set-up step",
		permission: "account:manage",
		procedure: "mutation",
	}),
	policy: operation({
		method: "POST",
		path: "/setup/policy",
		summary: "Build the first policy from four answers, without saving it",
		permission: "policy:publish",
		procedure: "query",
	}),
};
