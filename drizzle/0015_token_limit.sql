-- expands: earlier programs run on this schema
ALTER TABLE "api_token" ADD COLUMN "approval_above_micro_usd" bigint;