-- expands: earlier programs run on this schema
ALTER TABLE "job" ADD COLUMN "resumed_after_attempt" integer DEFAULT 0 NOT NULL;