ALTER TABLE "hold" DROP CONSTRAINT "hold_amount_positive";--> statement-breakpoint
ALTER TABLE "offer" ADD COLUMN "quota" jsonb;--> statement-breakpoint
ALTER TABLE "hold" ADD CONSTRAINT "hold_amount_not_negative" CHECK ("hold"."amount_micro_usd" >= 0);