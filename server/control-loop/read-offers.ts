import type { CloudDriver } from "#server/providers/driver.ts";
import { DriverError } from "#server/providers/driver-errors.ts";
import { setSiteHealth } from "#server/services/capacity/site/health.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/**
 * Reads a cloud's offers and the health of its site. It is healthy while any of its regions responds, since work may go there;
 * the failing regions are named.
 * @throws Error when no region responds, or the account or the settings are refused: the site is then unhealthy
 */
export async function readOffers(ctx: LoopContext, driver: CloudDriver): Promise<void> {
	const { siteId } = driver;
	const atMs = ctx.clock.nowMs();
	try {
		const failed = await failureOfCheck(driver);
		const { offers, failedRegions } = await driver.offers();
		if (failed !== null && offers.length === 0) throw failed;
		await refreshOffers(ctx.db, offers, atMs);
		const away = failedRegions.length > 0 ? `no answer from ${failedRegions.map((r) => r.region).join(", ")}` : null;
		await setSiteHealth(ctx.db, { siteId, healthy: true, message: away ?? failed?.message ?? null, atMs });
	} catch (error) {
		await setSiteHealth(ctx.db, { siteId, healthy: false, message: messageOf(error), atMs });
		throw error;
	}
}

/** A failed check may affect only this site. @throws DriverError that applies to all places */
async function failureOfCheck(driver: CloudDriver): Promise<DriverError | null> {
	try {
		await driver.check();
		return null;
	} catch (error) {
		if (error instanceof DriverError && (error.kind === "transient" || error.kind === "throttled")) return error;
		throw error;
	}
}
