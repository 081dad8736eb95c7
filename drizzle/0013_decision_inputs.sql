CREATE TABLE "decision_part" (
	"hash" text PRIMARY KEY NOT NULL,
	"body" "bytea" NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "decision" ADD COLUMN "input_hash" text;--> statement-breakpoint
CREATE INDEX "decision_part_used" ON "decision_part" USING btree ("used_at");