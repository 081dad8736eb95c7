-- expands: earlier programs run on this schema
ALTER TABLE "plan_study" ADD COLUMN "demand_groups" "bytea";