-- expands: earlier programs run on this schema
CREATE TABLE "store_price" (
	"store_id" text NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"micro_usd_per_gi_b_month" bigint,
	"micro_usd_per_gi_b_egress" bigint,
	CONSTRAINT "store_price_store_id_effective_from_pk" PRIMARY KEY("store_id","effective_from")
);
--> statement-breakpoint
-- Prices entered when stores were added hold from now on; nothing is charged for the time before.
INSERT INTO "store_price" ("store_id", "effective_from", "micro_usd_per_gi_b_month")
SELECT "id", date_trunc('milliseconds', now()), "micro_usd_per_gi_b_month" FROM "store" WHERE "micro_usd_per_gi_b_month" IS NOT NULL;
