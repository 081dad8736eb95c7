-- expands: earlier programs run on this schema
ALTER TABLE "attempt" ADD COLUMN "move_request" jsonb;