ALTER TABLE "backtest" ADD COLUMN "estimate" jsonb;--> statement-breakpoint
ALTER TABLE "backtest" ADD COLUMN "automatic" boolean DEFAULT false NOT NULL;