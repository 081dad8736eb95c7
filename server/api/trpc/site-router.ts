import { checkSiteInput } from "#server/contract/inputs/capacity.ts";
import { prepareCheck } from "#server/services/capacity/site/check.ts";
import { listSiteSettings } from "#server/services/capacity/site/settings-view.ts";
import { readUseByHour } from "#server/services/capacity/site/use-by-hour.ts";
import { siteOperations, withTools } from "../operations/capacity.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

export const siteRouter = router({
	...proceduresOf(siteOperations),
	useByHour: procedure.query(({ ctx }) => readUseByHour(ctx.service)),
	settings: procedure.query(({ ctx }) => listSiteSettings(ctx.service)),
	/**
	 * Yields each step when it ends. A mutation although it changes nothing, because its input has credentials, which
	 * must not be in a URL.
	 */
	check: procedure.input(checkSiteInput).mutation(async function* ({ ctx, input }) {
		yield* await prepareCheck(withTools(ctx.service), input);
	}),
});
