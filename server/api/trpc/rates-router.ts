import { z } from "zod";
import { commitmentsInput, discountsInput, rateCardInput } from "#server/contract/inputs/rates.ts";
import { listPoolRates, readPoolRates } from "#server/services/ledger/rate-card/list.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { listCommitments, setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { listDiscounts, setDiscounts } from "#server/services/pricing/offer/discounts.ts";
import { procedure, router } from "./init.ts";

const id = z.string().min(1).max(64);
const poolKey = z.strictObject({ siteId: id, poolId: id });

/** What owned pools cost, and what is agreed with clouds. Lists are replaced by lists that were made from `seen`. */
export const ratesRouter = router({
	list: procedure.query(({ ctx }) => listPoolRates(ctx.service)),
	get: procedure.input(poolKey).query(({ ctx, input }) => readPoolRates(ctx.service, input)),
	set: procedure
		.input(z.strictObject({ pool: poolKey, rates: rateCardInput }))
		.mutation(({ ctx, input }) => setRateCard(ctx.service, input.pool, input.rates)),
	discounts: procedure.query(({ ctx }) => listDiscounts(ctx.service)),
	setDiscounts: procedure
		.input(z.strictObject({ next: discountsInput, seen: discountsInput }))
		.mutation(({ ctx, input }) => setDiscounts(ctx.service, input.next, input.seen)),
	commitments: procedure.query(({ ctx }) => listCommitments(ctx.service)),
	setCommitments: procedure
		.input(z.strictObject({ next: commitmentsInput, seen: commitmentsInput }))
		.mutation(({ ctx, input }) => setCommitments(ctx.service, input.next, input.seen)),
});
