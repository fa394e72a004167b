-- Grants the role that focusd acts as what it needs of every generation, and makes the views show them.
SELECT grant_generations()::text
