import type { site } from "#server/db/schema/site.ts";

export type SiteRow = typeof site.$inferSelect;
