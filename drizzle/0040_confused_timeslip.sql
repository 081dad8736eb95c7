ALTER TABLE "instance" ADD COLUMN "data_reads" jsonb;--> statement-breakpoint
ALTER TABLE "instance" ADD COLUMN "data_read_at" timestamp (3) with time zone;