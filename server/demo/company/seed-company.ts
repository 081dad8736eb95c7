import { team } from "#server/db/schema/account.ts";
import type { Env } from "#server/env.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { listStudies } from "#server/services/decision/plan/get.ts";
import { startStudy } from "#server/services/decision/plan/start.ts";
import { COMPANY_TEAMS } from "../accounts.ts";
import { importDemoHistory } from "../history/import-demo-history.ts";
import { seedPolicy } from "../policy.ts";
import { companyPolicy } from "./policy.ts";
import { seedBill } from "./seed-bill.ts";
import { seedCaps } from "./seed-caps.ts";
import { seedGrid } from "./seed-grid.ts";
import { seedHalls } from "./seed-halls.ts";
import { seedRequest } from "./seed-request.ts";
import { companyStory } from "./story.ts";

export const COMPANY_DAYS = 90;

type CompanySettings = Pick<Env, "SPILLWAY_HOME" | "SPILLWAY_HALL_B_ENDPOINT" | "SPILLWAY_HALL_C_ENDPOINT">;

/** Two halls, eight teams, and ninety days of their work. Each part does nothing if it already exists. */
export async function seedCompany(ctx: ServiceContext, settings: CompanySettings, seed: number): Promise<void> {
	await ctx.db
		.insert(team)
		.values(COMPANY_TEAMS.map((name) => ({ name })))
		.onConflictDoNothing();
	await seedHalls(ctx, settings.SPILLWAY_HOME, {
		"hall-b": settings.SPILLWAY_HALL_B_ENDPOINT,
		"hall-c": settings.SPILLWAY_HALL_C_ENDPOINT,
	});
	await seedPolicy(ctx, companyPolicy(), "The company's rules: burst after half an hour, experiments on spot only, caps by team");
	await seedGrid(ctx, ctx.clock.nowMs() - COMPANY_DAYS * DAY_MS);
	await importDemoHistory(ctx, { days: COMPANY_DAYS, seed, story: companyStory });
	// The Plan page opens with a public trace; the scheduler processes it in the background.
	if ((await listStudies(ctx, { limit: 1 })).length === 0) await startStudy(ctx, { source: "open", trace: "philly-ee9e8c" });
	await seedCaps(ctx);
	await seedBill(ctx);
	await seedRequest(ctx);
}
