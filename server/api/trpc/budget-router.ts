import { z } from "zod";
import type { ServiceContext } from "#server/services/core/context.ts";
import { changeCap, changeCapInput } from "#server/services/governance/budget-cap/change-cap.ts";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listCapProposals } from "#server/services/governance/proposal/list.ts";
import { getBudget, getBudgetInput } from "#server/services/ledger/budget/get.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { changeBudgetSettings, changeBudgetSettingsInput, viewBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { listAlerts, listAlertsInput } from "#server/services/notification/alert/list.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { listChannels } from "#server/services/notification/channel/list.ts";
import { removeChannel } from "#server/services/notification/channel/remove.ts";
import { type ChannelContext, createChannelInput, updateChannelInput } from "#server/services/notification/channel/schemas.ts";
import { sendTest } from "#server/services/notification/channel/send-test.ts";
import { updateChannel } from "#server/services/notification/channel/update.ts";
import { listDeliveries, listDeliveriesInput } from "#server/services/notification/delivery/list.ts";
import { runtime } from "#server/services/runtime.ts";
import { procedure, router } from "./init.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });
const withSecret = (ctx: ServiceContext): ChannelContext => ({ ...ctx, secret: runtime().env.SPILLWAY_SECRET });

export const budgetRouter = router({
	list: procedure.query(({ ctx }) => listBudgets(ctx.service)),
	get: procedure.input(getBudgetInput).query(({ ctx, input }) => getBudget(ctx.service, input)),
	changeCap: procedure.input(changeCapInput).mutation(({ ctx, input }) => changeCap(ctx.service, input)),
	settings: procedure.query(({ ctx }) => viewBudgetSettings(ctx.service)),
	changeSettings: procedure.input(changeBudgetSettingsInput).mutation(({ ctx, input }) => changeBudgetSettings(ctx.service, input)),
	proposals: procedure.query(({ ctx }) => listCapProposals(ctx.service)),
	approve: procedure.input(byId).mutation(({ ctx, input }) => approveProposal(ctx.service, input.id)),
	reject: procedure.input(byId).mutation(({ ctx, input }) => rejectProposal(ctx.service, input.id)),
});

export const alertRouter = router({
	list: procedure.input(listAlertsInput).query(({ ctx, input }) => listAlerts(ctx.service, input)),
});

export const channelRouter = router({
	list: procedure.query(({ ctx }) => listChannels(withSecret(ctx.service))),
	create: procedure.input(createChannelInput).mutation(({ ctx, input }) => createChannel(withSecret(ctx.service), input)),
	update: procedure.input(updateChannelInput).mutation(({ ctx, input }) => updateChannel(withSecret(ctx.service), input)),
	remove: procedure.input(byId).mutation(({ ctx, input }) => removeChannel(ctx.service, input.id)),
	test: procedure.input(byId).mutation(({ ctx, input }) => sendTest(ctx.service, input.id)),
	deliveries: procedure.input(listDeliveriesInput).query(({ ctx, input }) => listDeliveries(ctx.service, input)),
});
