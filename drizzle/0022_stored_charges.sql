-- expands: earlier programs run on this schema
-- Columns without their table: on partitions, which have other names, "charge" is not known.
ALTER TABLE "charge" DROP CONSTRAINT "charge_has_cause";--> statement-breakpoint
ALTER TABLE "artifact" ADD COLUMN "metered_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "charge" ADD COLUMN "artifact_id" text;--> statement-breakpoint
CREATE INDEX "charge_artifact" ON "charge" USING btree ("artifact_id") WHERE artifact_id is not null;--> statement-breakpoint
ALTER TABLE "charge" ADD CONSTRAINT "charge_has_cause" CHECK (num_nonnulls(instance_id, allocation_id, pool_id, bill_line_id, artifact_id) = 1);