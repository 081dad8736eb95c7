import { account, team, token } from "#server/contract/account.ts";
import { createTokenInput } from "#server/contract/inputs/account.ts";
import { notification } from "#server/contract/notification.ts";
import { setup } from "#server/contract/setup.ts";
import {
	answerIdentity,
	createAccount,
	disableAccount,
	enableAccount,
	inviteAccount,
	listAccounts,
} from "#server/services/governance/account/manage.ts";
import { getNotifications, setNotifications } from "#server/services/governance/account/notifications.ts";
import { updateAccount } from "#server/services/governance/account/update.ts";
import { previewFirstPolicy } from "#server/services/governance/setup/preview-policy.ts";
import { getSetup, saveCompany, skipStep } from "#server/services/governance/setup/state.ts";
import { listTeamDetails } from "#server/services/governance/team/list.ts";
import { createTeam, deleteTeam, updateTeam } from "#server/services/governance/team/manage.ts";
import { createToken } from "#server/services/governance/token/create.ts";
import { listTokens } from "#server/services/governance/token/list.ts";
import { revokeToken } from "#server/services/governance/token/revoke.ts";
import { bind } from "./bind.ts";

export const tokenOperations = {
	list: bind(token.list, listTokens),
	create: bind(token.create, (ctx, input) => createToken(ctx, createTokenInput.parse(input))),
	revoke: bind(token.revoke, (ctx, { id }) => revokeToken(ctx, id)),
};

export const teamOperations = {
	list: bind(team.list, listTeamDetails),
	create: bind(team.create, createTeam),
	update: bind(team.update, (ctx, { name, ...changes }) => updateTeam(ctx, name, changes)),
	delete: bind(team.delete, (ctx, { name }) => deleteTeam(ctx, name)),
};

export const accountOperations = {
	update: bind(account.update, (ctx, { id, ...changes }) => updateAccount(ctx, id, changes)),
	list: bind(account.list, listAccounts),
	create: bind(account.create, createAccount),
	invite: bind(account.invite, (ctx, { id }) => inviteAccount(ctx, id)),
	disable: bind(account.disable, (ctx, { id }) => disableAccount(ctx, id)),
	enable: bind(account.enable, (ctx, { id }) => enableAccount(ctx, id)),
	linkIdentity: bind(account.linkIdentity, (ctx, { id }) => answerIdentity(ctx, id, "link")),
	rejectIdentity: bind(account.rejectIdentity, (ctx, { id }) => answerIdentity(ctx, id, "reject")),
};

export const notificationOperations = {
	get: bind(notification.get, getNotifications),
	set: bind(notification.set, setNotifications),
};

export const setupOperations = {
	get: bind(setup.get, getSetup),
	company: bind(setup.company, saveCompany),
	skip: bind(setup.skip, skipStep),
	policy: bind(setup.policy, previewFirstPolicy),
};
