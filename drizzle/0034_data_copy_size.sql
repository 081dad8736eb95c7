-- expands: earlier programs run on this schema
ALTER TABLE "data_copy" ADD COLUMN "team" text;--> statement-breakpoint
ALTER TABLE "data_copy" ADD COLUMN "stored_bytes" bigint;