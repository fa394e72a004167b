-- Rule A3: devices that may not act for their user any more. The fold remembers them in the rows of devices.
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'device.revoked';
