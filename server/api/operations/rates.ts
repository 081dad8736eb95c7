import { dataSet } from "#server/contract/data-set.ts";
import { rates } from "#server/contract/rates.ts";
import { listDataSets } from "#server/services/capacity/data-set/list.ts";
import { setDataSets } from "#server/services/capacity/data-set/set.ts";
import { listElectricityPrices, setElectricityPrices } from "#server/services/ledger/rate-card/electricity-prices.ts";
import { listPoolRates, readPoolRates } from "#server/services/ledger/rate-card/list.ts";
import { setMeasuredPower } from "#server/services/ledger/rate-card/measured-power.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { listCommitments, setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { listDiscounts, setDiscounts } from "#server/services/pricing/offer/discounts.ts";
import { bind } from "./bind.ts";
import { rangeOf } from "./spend.ts";

export const ratesOperations = {
	list: bind(rates.list, listPoolRates),
	get: bind(rates.get, readPoolRates),
	set: bind(rates.set, (ctx, { siteId, poolId, ...card }) => setRateCard(ctx, { siteId, poolId }, card)),
	setMeasuredPower: bind(rates.setMeasuredPower, (ctx, { siteId, poolId, ...measured }) =>
		setMeasuredPower(ctx, { siteId, poolId }, measured),
	),
	electricityPrices: bind(rates.electricityPrices, (ctx, { siteId, ...range }) => listElectricityPrices(ctx, siteId, rangeOf(ctx, range))),
	setElectricityPrices: bind(rates.setElectricityPrices, (ctx, { siteId, ...prices }) => setElectricityPrices(ctx, siteId, prices)),
	commitments: bind(rates.commitments, listCommitments),
	setCommitments: bind(rates.setCommitments, async (ctx, input) => {
		await setCommitments(ctx, input);
		return listCommitments(ctx);
	}),
	discounts: bind(rates.discounts, listDiscounts),
	setDiscounts: bind(rates.setDiscounts, async (ctx, input) => {
		await setDiscounts(ctx, input);
		return listDiscounts(ctx);
	}),
};

export const dataSetOperations = {
	list: bind(dataSet.list, listDataSets),
	set: bind(dataSet.set, async (ctx, input) => {
		await setDataSets(ctx, input);
		return listDataSets(ctx);
	}),
};
