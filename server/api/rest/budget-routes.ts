import type { z } from "zod";
import { env } from "#server/env.ts";
import { type ChangeCapInput, changeCap, changeCapInput } from "#server/services/governance/budget-cap/change-cap.ts";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listProposals } from "#server/services/governance/proposal/list.ts";
import { getBudget } from "#server/services/ledger/budget/get.ts";
import { listBudgets } from "#server/services/ledger/budget/list.ts";
import { listAlerts, type listAlertsInput } from "#server/services/notification/alert/list.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { listChannels } from "#server/services/notification/channel/list.ts";
import { removeChannel } from "#server/services/notification/channel/remove.ts";
import {
	type CreateChannelInput,
	createChannelInput,
	type UpdateChannelInput,
	updateChannelInput,
} from "#server/services/notification/channel/schemas.ts";
import { sendTest } from "#server/services/notification/channel/send-test.ts";
import { updateChannel } from "#server/services/notification/channel/update.ts";
import { listDeliveries, type listDeliveriesInput } from "#server/services/notification/delivery/list.ts";
import { numberParam, refuseUnknown, textParam } from "./query.ts";
import { ok, type RestContext, type Route } from "./route.ts";

const withSecret = (ctx: RestContext) => ({ ...ctx, secret: env().SPILLWAY_SECRET });
const fieldsOf = (body: unknown): object => (body !== null && typeof body === "object" ? body : {});

/** What is given of the query, by name; the services parse it. */
function pageOf(query: URLSearchParams, names: readonly string[]): Record<string, unknown> {
	refuseUnknown(query, [...names, "limit"]);
	const limit = numberParam(query, "limit");
	const given = names.map((name) => [name, textParam(query, name)] as const).filter(([, value]) => value !== undefined);
	return { ...Object.fromEntries(given), ...(limit === undefined ? {} : { limit }) };
}

export const budgetRoutes: Route[] = [
	{
		method: "GET",
		path: "/budgets",
		summary: "Budgets of the policy in force: cap, posted, held, free, forecast",
		permission: "budget:read",
		handle: async (ctx) => ok({ items: await listBudgets(ctx), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/budgets/{id}",
		summary: "A budget by day, team and job, its forecast, and how earlier periods ended; period=2026-11-01 for one of them",
		permission: "budget:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["period"]);
			const period = textParam(query, "period");
			return ok(await getBudget(ctx, { id: params.id ?? "", ...(period === undefined ? {} : { period }) }));
		},
	},
	{
		method: "PUT",
		path: "/budgets/{id}",
		summary: "Change the cap: publishes the policy again, or proposes it when a second person has to agree",
		permission: "budget:change",
		body: changeCapInput.omit({ budgetId: true }),
		write: true,
		async handle(ctx, { params, body }) {
			const done = await changeCap(ctx, { ...fieldsOf(body), budgetId: params.id ?? "" } as ChangeCapInput);
			// Texts, because the answer of a write is kept as JSON to be given again.
			const [fromMicroUsd, toMicroUsd] = [done.fromMicroUsd.toString(), done.toMicroUsd.toString()];
			return ok({ ...done, fromMicroUsd, toMicroUsd }, done.kind === "proposed" ? 202 : 200);
		},
	},
	{
		method: "GET",
		path: "/proposals",
		summary: "Changes that wait for a second person, and those decided in the last 90 days",
		permission: "budget:read",
		handle: async (ctx) => ok({ items: await listProposals(ctx), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/proposals/{id}/approve",
		summary: "Agree to another person's change: it is applied at once",
		permission: "budget:approve",
		write: true,
		handle: async (ctx, { params }) => ok(await approveProposal(ctx, params.id ?? "")),
	},
	{
		method: "POST",
		path: "/proposals/{id}/reject",
		summary: "Refuse another person's change, or withdraw one's own",
		permission: "budget:change",
		write: true,
		handle: async (ctx, { params }) => ok(await rejectProposal(ctx, params.id ?? "")),
	},
	{
		method: "GET",
		path: "/alerts",
		summary: "Alerts, newest first; state=open or past, rule=budget_threshold …",
		permission: "budget:read",
		handle: async (ctx, { query }) =>
			ok(await listAlerts(ctx, pageOf(query, ["state", "rule", "cursor"]) as z.input<typeof listAlertsInput>)),
	},
	{
		method: "GET",
		path: "/channels",
		summary: "Where alerts and statements are sent; addresses of webhooks by their host alone",
		permission: "budget:change",
		handle: async (ctx) => ok({ items: await listChannels(withSecret(ctx)), nextCursor: null }),
	},
	{
		method: "POST",
		path: "/channels",
		summary: "Add a channel; answers the signing key of a webhook, this once",
		permission: "budget:change",
		body: createChannelInput,
		// No Idempotency-Key: the answer holds a secret, and answers of writes are kept to be given again.
		handle: async (ctx, { body }) => ok(await createChannel(withSecret(ctx), body as CreateChannelInput), 201),
	},
	{
		method: "PUT",
		path: "/channels/{id}",
		summary: "Change a channel; what is left out stays",
		permission: "budget:change",
		body: updateChannelInput.omit({ id: true }),
		async handle(ctx, { params, body }) {
			await updateChannel(withSecret(ctx), { ...fieldsOf(body), id: params.id ?? "" } as UpdateChannelInput);
			return ok({ id: params.id });
		},
	},
	{
		method: "POST",
		path: "/channels/{id}/remove",
		summary: "Take a channel away, with its address and key",
		permission: "budget:change",
		write: true,
		async handle(ctx, { params }) {
			await removeChannel(ctx, params.id ?? "");
			return ok({ id: params.id });
		},
	},
	{
		method: "POST",
		path: "/channels/{id}/test",
		summary: "Send a test message to a channel",
		permission: "budget:change",
		write: true,
		handle: async (ctx, { params }) => ok(await sendTest(ctx, params.id ?? ""), 202),
	},
	{
		method: "GET",
		path: "/deliveries",
		summary: "The log of what was sent, newest first; state=pending, sent or failed",
		permission: "budget:change",
		handle: async (ctx, { query }) =>
			ok(await listDeliveries(ctx, pageOf(query, ["state", "cursor"]) as z.input<typeof listDeliveriesInput>)),
	},
];
