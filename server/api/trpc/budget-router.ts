import { z } from "zod";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listCapProposals } from "#server/services/governance/proposal/list.ts";
import { changeBudgetSettings, changeBudgetSettingsInput, viewBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { budgetOperations } from "../operations/budgets.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });

export const budgetRouter = router({
	...proceduresOf(budgetOperations),
	settings: procedure.query(({ ctx }) => viewBudgetSettings(ctx.service)),
	changeSettings: procedure.input(changeBudgetSettingsInput).mutation(({ ctx, input }) => changeBudgetSettings(ctx.service, input)),
	proposals: procedure.query(({ ctx }) => listCapProposals(ctx.service)),
	approve: procedure.input(byId).mutation(({ ctx, input }) => approveProposal(ctx.service, input.id)),
	reject: procedure.input(byId).mutation(({ ctx, input }) => rejectProposal(ctx.service, input.id)),
});
