import {
	createAccountInput,
	createTeamInput,
	createTokenInput,
	updateAccountInput,
	updateTeamInput,
} from "#server/contract/inputs/account.ts";
import {
	answerIdentity,
	createAccount,
	disableAccount,
	enableAccount,
	inviteAccount,
	listAccounts,
} from "#server/services/governance/account/manage.ts";
import { updateAccount } from "#server/services/governance/account/update.ts";
import { listTeamDetails } from "#server/services/governance/team/list.ts";
import { createTeam, deleteTeam, updateTeam } from "#server/services/governance/team/manage.ts";
import { createToken } from "#server/services/governance/token/create.ts";
import { listTokens } from "#server/services/governance/token/list.ts";
import { revokeToken } from "#server/services/governance/token/revoke.ts";
import { ok, type Route } from "./route.ts";

export const accountRoutes: Route[] = [
	{
		method: "GET",
		path: "/teams",
		summary: "List your teams, or all teams for roles that see all, with cost centers",
		permission: "job:read",
		handle: async (ctx) => ok({ items: await listTeamDetails(ctx), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/teams",
		summary: "Create a team",
		permission: "account:manage",
		body: createTeamInput,
		handle: async (ctx, { body }) => ok(await createTeam(ctx, createTeamInput.parse(body)), 201),
	},
	{
		method: "PATCH",
		path: "/teams/{name}",
		summary: "Rename a team (its title), or change its cost center or parent",
		permission: "account:manage",
		body: updateTeamInput,
		handle: async (ctx, { params, body }) => ok(await updateTeam(ctx, params["name"] ?? "", updateTeamInput.parse(body))),
	},
	{
		method: "DELETE",
		path: "/teams/{name}",
		summary: "Delete a team without members, sub-teams, jobs and charges",
		permission: "account:manage",
		handle: async (ctx, { params }) => ok(await deleteTeam(ctx, params["name"] ?? "")),
	},
	{
		method: "PATCH",
		path: "/accounts/{id}",
		summary: "Change name, role and teams of an account",
		permission: "account:manage",
		body: updateAccountInput,
		handle: async (ctx, { params, body }) => ok(await updateAccount(ctx, params["id"] ?? "", updateAccountInput.parse(body))),
	},
	{
		method: "GET",
		path: "/tokens",
		summary: "List your tokens, or everyone's as an administrator; never the tokens themselves",
		permission: "token:manage",
		handle: async (ctx) => ok({ items: await listTokens(ctx), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/tokens",
		summary: "Create a token with scopes and an expiry; it is returned once",
		permission: "token:manage",
		body: createTokenInput,
		handle: async (ctx, { body }) => ok(await createToken(ctx, createTokenInput.parse(body)), 201),
	},
	{
		method: "DELETE",
		path: "/tokens/{id}",
		summary: "Revoke a token; it stops working within 5 seconds",
		permission: "token:manage",
		handle: async (ctx, { params }) => ok(await revokeToken(ctx, params["id"] ?? "")),
	},
	{
		method: "GET",
		path: "/accounts",
		summary: "List accounts with their identities, and sign-ins that wait for approval",
		permission: "account:manage",
		handle: async (ctx) => ok({ items: await listAccounts(ctx), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/accounts",
		summary: "Create a person with an invitation of 7 days, or a service account",
		permission: "account:manage",
		body: createAccountInput,
		handle: async (ctx, { body }) => ok(await createAccount(ctx, createAccountInput.parse(body)), 201),
	},
	...(
		[
			["/accounts/{id}/invite", "Let the next sign-in with the account's verified address be linked, for 7 days", inviteAccount],
			["/accounts/{id}/disable", "Disable an account; its sessions and tokens end", disableAccount],
			["/accounts/{id}/enable", "Enable a disabled account", enableAccount],
			["/identities/{id}/link", "Approve a waiting sign-in: link it to the account with its address", linkIdentity],
			["/identities/{id}/reject", "Reject a waiting sign-in", rejectIdentity],
		] as const
	).map(
		([path, summary, act]): Route => ({
			...{ method: "POST", path, summary, permission: "account:manage" },
			handle: async (ctx, { params }) => ok(await act(ctx, params["id"] ?? "")),
		}),
	),
];

function linkIdentity(ctx: Parameters<typeof answerIdentity>[0], id: string) {
	return answerIdentity(ctx, id, "link");
}

function rejectIdentity(ctx: Parameters<typeof answerIdentity>[0], id: string) {
	return answerIdentity(ctx, id, "reject");
}
