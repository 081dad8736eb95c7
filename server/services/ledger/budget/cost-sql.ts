import { sql } from "drizzle-orm";

/** accounting/budget-cost in SQL, for any rows with a capacity type, an effective and a billed sum. */
export const BUDGET_COST = sql.raw("case when capacity_type = 'reserved' then billed_micro_usd else effective_micro_usd end");
