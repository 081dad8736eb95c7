ALTER TABLE "attempt" ADD COLUMN "moving_to" jsonb;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "move_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "move_reason" jsonb;--> statement-breakpoint
CREATE INDEX "attempt_move_due" ON "attempt" USING btree ("move_at") WHERE "attempt"."move_at" is not null and "attempt"."stop_requested_at" is null and "attempt"."finished_at" is null;--> statement-breakpoint
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_move_is_whole" CHECK (("attempt"."move_at" is null) = ("attempt"."moving_to" is null) and ("attempt"."move_at" is null) = ("attempt"."move_reason" is null));