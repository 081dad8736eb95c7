import { z } from "zod";
import { updateAccountInput, updateTeamInput } from "#server/contract/inputs/account.ts";
import { byId } from "#server/contract/parts.ts";
import { listTeams } from "#server/services/core/teams.ts";
import { updateAccount } from "#server/services/governance/account/update.ts";
import {
	decideDeviceLogin,
	decideDeviceLoginInput,
	deviceLoginInput,
	getDeviceLogin,
} from "#server/services/governance/device-login/decide.ts";
import { updateTeam } from "#server/services/governance/team/manage.ts";
import { accountOperations, teamOperations } from "../operations/accounts.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

const byName = z.strictObject({ name: z.string().min(1).max(64) });

export const teamRouter = router({
	...proceduresOf(teamOperations),
	/** Names only, for menus. */
	names: procedure.query(({ ctx }) => listTeams(ctx.service)),
	update: procedure
		.input(byName.extend({ changes: updateTeamInput }))
		.mutation(({ ctx, input }) => updateTeam(ctx.service, input.name, input.changes)),
});

export const accountRouter = router({
	...proceduresOf(accountOperations),
	update: procedure
		.input(byId.extend({ changes: updateAccountInput }))
		.mutation(({ ctx, input }) => updateAccount(ctx.service, input.id, input.changes)),
});

/** Approves or denies `spillway login`; only used by the approval page. */
export const deviceLoginRouter = router({
	get: procedure.input(deviceLoginInput).query(({ ctx, input }) => getDeviceLogin(ctx.service, input)),
	decide: procedure.input(decideDeviceLoginInput).mutation(({ ctx, input }) => decideDeviceLogin(ctx.service, input)),
});
