import { z } from "zod";
import {
	createAccountInput,
	createTeamInput,
	createTokenInput,
	updateAccountInput,
	updateTeamInput,
} from "#server/contract/inputs/account.ts";
import { firstPolicyInput } from "#server/domain/first-policy.ts";
import { listTeams } from "#server/services/core/teams.ts";
import {
	answerIdentity,
	createAccount,
	disableAccount,
	enableAccount,
	inviteAccount,
	listAccounts,
} from "#server/services/governance/account/manage.ts";
import { updateAccount } from "#server/services/governance/account/update.ts";
import { previewFirstPolicy } from "#server/services/governance/setup/preview-policy.ts";
import { companyInput, getSetup, saveCompany, skipInput, skipStep } from "#server/services/governance/setup/state.ts";
import { listTeamDetails } from "#server/services/governance/team/list.ts";
import { createTeam, deleteTeam, updateTeam } from "#server/services/governance/team/manage.ts";
import { createToken } from "#server/services/governance/token/create.ts";
import { listTokens } from "#server/services/governance/token/list.ts";
import { revokeToken } from "#server/services/governance/token/revoke.ts";
import { procedure, router } from "./init.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });

export const tokenRouter = router({
	list: procedure.query(({ ctx }) => listTokens(ctx.service)),
	create: procedure.input(createTokenInput).mutation(({ ctx, input }) => createToken(ctx.service, input)),
	revoke: procedure.input(byId).mutation(({ ctx, input }) => revokeToken(ctx.service, input.id)),
});

const byName = z.strictObject({ name: z.string().min(1).max(64) });

export const teamRouter = router({
	/** Names only, for menus. */
	names: procedure.query(({ ctx }) => listTeams(ctx.service)),
	list: procedure.query(({ ctx }) => listTeamDetails(ctx.service)),
	create: procedure.input(createTeamInput).mutation(({ ctx, input }) => createTeam(ctx.service, input)),
	update: procedure
		.input(byName.extend({ changes: updateTeamInput }))
		.mutation(({ ctx, input }) => updateTeam(ctx.service, input.name, input.changes)),
	delete: procedure.input(byName).mutation(({ ctx, input }) => deleteTeam(ctx.service, input.name)),
});

export const accountRouter = router({
	update: procedure
		.input(byId.extend({ changes: updateAccountInput }))
		.mutation(({ ctx, input }) => updateAccount(ctx.service, input.id, input.changes)),
	list: procedure.query(({ ctx }) => listAccounts(ctx.service)),
	create: procedure.input(createAccountInput).mutation(({ ctx, input }) => createAccount(ctx.service, input)),
	invite: procedure.input(byId).mutation(({ ctx, input }) => inviteAccount(ctx.service, input.id)),
	disable: procedure.input(byId).mutation(({ ctx, input }) => disableAccount(ctx.service, input.id)),
	enable: procedure.input(byId).mutation(({ ctx, input }) => enableAccount(ctx.service, input.id)),
	linkIdentity: procedure.input(byId).mutation(({ ctx, input }) => answerIdentity(ctx.service, input.id, "link")),
	rejectIdentity: procedure.input(byId).mutation(({ ctx, input }) => answerIdentity(ctx.service, input.id, "reject")),
});

export const setupRouter = router({
	get: procedure.query(({ ctx }) => getSetup(ctx.service)),
	company: procedure.input(companyInput).mutation(({ ctx, input }) => saveCompany(ctx.service, input)),
	skip: procedure.input(skipInput).mutation(({ ctx, input }) => skipStep(ctx.service, input)),
	policy: procedure.input(firstPolicyInput).query(({ ctx, input }) => previewFirstPolicy(ctx.service, input)),
});
