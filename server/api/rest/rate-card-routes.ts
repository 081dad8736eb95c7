import {
	commitmentsInput,
	discountsInput,
	electricityPricesInput,
	measuredPowerInput,
	rateCardInput,
} from "#server/contract/inputs/rates.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import {
	type ElectricityPricesInput,
	listElectricityPrices,
	setElectricityPrices,
} from "#server/services/ledger/rate-card/electricity-prices.ts";
import type { RateCardInput } from "#server/services/ledger/rate-card/input.ts";
import { listPoolRates, readPoolRates } from "#server/services/ledger/rate-card/list.ts";
import { type MeasuredPowerInput, setMeasuredPower } from "#server/services/ledger/rate-card/measured-power.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { type CommitmentsInput, listCommitments, setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { type DiscountsInput, listDiscounts, setDiscounts } from "#server/services/pricing/offer/discounts.ts";
import { refuseUnknown, timeParam } from "./query.ts";
import { ok, type Route } from "./route.ts";

const DEFAULT_DAYS = 30;

const keyOf = (params: Record<string, string>) => ({ siteId: params.site ?? "", poolId: params.pool ?? "" });

export const rateCardRoutes: Route[] = [
	{
		method: "GET",
		path: "/rate-cards",
		summary: "Every owned pool with its rate card in force, and what it costs this month",
		permission: "rates:read",
		handle: async (ctx) => ok({ items: await listPoolRates(ctx), nextCursor: null }),
	},
	{
		method: "GET",
		path: "/sites/{site}/pools/{pool}/rate-card",
		summary: "A pool's rate card in force, what it costs this month, and its history",
		permission: "rates:read",
		handle: async (ctx, { params }) => ok(await readPoolRates(ctx, keyOf(params))),
	},
	{
		method: "PUT",
		path: "/sites/{site}/pools/{pool}/rate-card",
		summary: "Set a pool's rate card from an instant on; what is charged already is corrected by new entries",
		permission: "rates:change",
		body: rateCardInput,
		write: true,
		handle: async (ctx, { params, body }) => ok(await setRateCard(ctx, keyOf(params), body as RateCardInput), 201),
	},
	{
		method: "PUT",
		path: "/sites/{site}/pools/{pool}/measured-power",
		summary: "Set the energy that a pool's machines drew in a charged period: it replaces the rate cards' estimate",
		permission: "rates:change",
		body: measuredPowerInput,
		write: true,
		handle: async (ctx, { params, body }) => ok(await setMeasuredPower(ctx, keyOf(params), body as MeasuredPowerInput), 201),
	},
	{
		method: "GET",
		path: "/sites/{site}/electricity-prices",
		summary: "What a kWh cost a site in the hours with a known price (from, to); all others use its pools' rate cards",
		permission: "rates:read",
		async handle(ctx, { params, query }) {
			refuseUnknown(query, ["from", "to"]);
			const toMs = timeParam(query, "to") ?? ctx.clock.nowMs();
			const fromMs = timeParam(query, "from") ?? toMs - DEFAULT_DAYS * DAY_MS;
			return ok({ items: await listElectricityPrices(ctx, params.site ?? "", { fromMs, toMs }), nextCursor: null });
		},
	},
	{
		method: "PUT",
		path: "/sites/{site}/electricity-prices",
		summary: "Take in what a kWh cost a site by the hour: csv (ts, usd_per_kwh or usd_per_mwh); what is charged already is corrected",
		permission: "rates:change",
		body: electricityPricesInput,
		write: true,
		handle: async (ctx, { params, body }) => ok(await setElectricityPrices(ctx, params.site ?? "", body as ElectricityPricesInput), 201),
	},
	{
		method: "GET",
		path: "/commitments",
		summary: "Reserved and committed capacity, which is amortised",
		permission: "rates:read",
		handle: async (ctx) => ok({ items: await listCommitments(ctx), nextCursor: null }),
	},
	{
		method: "PUT",
		path: "/commitments",
		summary: "Replace the list of reserved and committed capacity; it counts from the next charge on",
		permission: "rates:change",
		body: commitmentsInput,
		write: true,
		async handle(ctx, { body }) {
			await setCommitments(ctx, body as CommitmentsInput);
			return ok({ items: await listCommitments(ctx) });
		},
	},
	{
		method: "GET",
		path: "/discounts",
		summary: "Discounts agreed with the clouds, with how many offers each is in now",
		permission: "rates:read",
		handle: async (ctx) => ok({ items: await listDiscounts(ctx), nextCursor: null }),
	},
	{
		method: "PUT",
		path: "/discounts",
		summary: "Replace the list of agreed discounts; it counts from the next decision on",
		permission: "rates:change",
		body: discountsInput,
		write: true,
		async handle(ctx, { body }) {
			await setDiscounts(ctx, body as DiscountsInput);
			return ok({ items: await listDiscounts(ctx) });
		},
	},
];
