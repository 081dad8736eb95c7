import { budget } from "#server/contract/budget.ts";
import { alert, channel } from "#server/contract/channel.ts";
import { addBudget } from "#server/services/governance/budget-cap/add-budget.ts";
import { changeCap } from "#server/services/governance/budget-cap/change-cap.ts";
import { getBudget } from "#server/services/ledger/budget/get.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { listAlerts } from "#server/services/notification/alert/list.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { listChannels } from "#server/services/notification/channel/list.ts";
import { removeChannel } from "#server/services/notification/channel/remove.ts";
import { sendTest } from "#server/services/notification/channel/send-test.ts";
import { updateChannel } from "#server/services/notification/channel/update.ts";
import { listDeliveries } from "#server/services/notification/delivery/list.ts";
import { getBudgetOutlook } from "#server/services/overview/budget-outlook.ts";
import { bind, withStatus } from "./bind.ts";

export const budgetOperations = {
	list: bind(budget.list, listBudgets),
	get: bind(budget.get, getBudget),
	outlook: bind(budget.outlook, getBudgetOutlook),
	add: withStatus(bind(budget.add, addBudget), ({ kind }) => (kind === "proposed" ? 202 : 201)),
	changeCap: withStatus(bind(budget.changeCap, changeCap), ({ kind }) => (kind === "proposed" ? 202 : 200)),
};

export const alertOperations = { list: bind(alert.list, listAlerts) };

export const channelOperations = {
	list: bind(channel.list, listChannels),
	create: bind(channel.create, createChannel),
	update: bind(channel.update, async (ctx, input) => {
		await updateChannel(ctx, input);
		return { id: input.id };
	}),
	remove: bind(channel.remove, async (ctx, { id }) => {
		await removeChannel(ctx, id);
		return { id };
	}),
	test: bind(channel.test, (ctx, { id }) => sendTest(ctx, id)),
	deliveries: bind(channel.deliveries, listDeliveries),
};
