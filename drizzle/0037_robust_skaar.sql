CREATE TABLE "copy_hold" (
	"copy_id" text NOT NULL,
	"budget_id" text NOT NULL,
	"period_key" text NOT NULL,
	"micro_usd" bigint NOT NULL,
	CONSTRAINT "copy_hold_copy_id_budget_id_pk" PRIMARY KEY("copy_id","budget_id")
);
--> statement-breakpoint
ALTER TABLE "data_copy" ADD COLUMN "from_place" text;--> statement-breakpoint
ALTER TABLE "data_copy" ADD COLUMN "job_id" text;