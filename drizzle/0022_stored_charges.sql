-- expands: earlier programs run on this schema
ALTER TABLE "charge" DROP CONSTRAINT "charge_has_cause";--> statement-breakpoint
ALTER TABLE "artifact" ADD COLUMN "metered_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "charge" ADD COLUMN "artifact_id" text;--> statement-breakpoint
CREATE INDEX "charge_artifact" ON "charge" USING btree ("artifact_id") WHERE artifact_id is not null;--> statement-breakpoint
ALTER TABLE "charge" ADD CONSTRAINT "charge_has_cause" CHECK (num_nonnulls("charge"."instance_id", "charge"."allocation_id", "charge"."pool_id", "charge"."bill_line_id", "charge"."artifact_id") = 1);