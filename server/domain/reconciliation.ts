/** Result of comparing a billed resource with the ledger. */
export const RECONCILIATION_STATES = ["matched", "not_billed", "billed_unknown", "price_variance", "time_variance"] as const;
