import { z } from "zod";
import { commitmentsInput, discountsInput, poolInput, rateCardInput } from "#server/contract/inputs/rates.ts";
import { setRateCard } from "#server/services/ledger/rate-card/set.ts";
import { setCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { setDiscounts } from "#server/services/pricing/offer/discounts.ts";
import { ratesOperations } from "../operations/rates.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

/** Costs of owned pools, and agreements with clouds. A list is replaced only if the new one is based on `seen`. */
export const ratesRouter = router({
	...proceduresOf(ratesOperations),
	set: procedure
		.input(z.strictObject({ pool: poolInput, rates: rateCardInput }))
		.mutation(({ ctx, input }) => setRateCard(ctx.service, input.pool, input.rates)),
	setDiscounts: procedure
		.input(z.strictObject({ next: discountsInput, seen: discountsInput }))
		.mutation(({ ctx, input }) => setDiscounts(ctx.service, input.next, input.seen)),
	setCommitments: procedure
		.input(z.strictObject({ next: commitmentsInput, seen: commitmentsInput }))
		.mutation(({ ctx, input }) => setCommitments(ctx.service, input.next, input.seen)),
});
