-- expands: earlier programs run on this schema
ALTER TABLE "policy_publication" ADD COLUMN "no_backtest_reason" text;